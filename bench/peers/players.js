// Plays so many games at once for so many seconds: `node players.js PORT MOVES GAMES SECONDS`.
//
// Each game has two players, each with a WebSocket of its own as boardgame.io's own client has, and one move in flight: the
// next one is sent when whoever is to move has received the state that the last one led to. Prints a line of JSON: moves,
// seconds, and the seconds of processor time that this program took itself.

const { io } = require('socket.io-client');

const [port, moves, games, seconds] = process.argv.slice(2).map(Number);
const url = `http://127.0.0.1:${port}`;
const name = `turns-of-${moves}`;
let settled = 0;
let playing = true;

const once = (socket, event) => new Promise((resolve) => socket.once(event, (...args) => resolve(args)));

async function created() {
  const answer = await fetch(`${url}/games/${name}/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"numPlayers": 2}',
  });
  return (await answer.json()).matchID;
}

async function seated(match, player) {
  const socket = io(`${url}/${name}`, { transports: ['websocket'], forceNew: true });
  await once(socket, 'connect');
  const synced = once(socket, 'sync');
  socket.emit('sync', match, player, undefined, 2);
  return { socket, state: (await synced)[1].state };
}

async function game() {
  const match = await created();
  const players = { 0: await seated(match, '0'), 1: await seated(match, '1') };
  const move = (state) => {
    const player = state.ctx.currentPlayer;
    const payload = { type: 'mark', args: [state._stateID % 9], playerID: player };
    players[player].socket.emit('update', { type: 'MAKE_MOVE', payload }, state._stateID, match, player);
  };
  for (const [player, { socket }] of Object.entries(players)) {
    socket.on('update', (_, state) => {
      if (state.ctx.currentPlayer !== player) return;
      settled += 1;
      if (playing) move(state);
    });
  }
  return () => move(players[1].state);
}

async function main() {
  const begin = [];
  for (let number = 0; number < games; number += 1) begin.push(await game());
  const cpu = process.cpuUsage();
  const begun = performance.now();
  begin.forEach((first) => first());
  setTimeout(() => {
    playing = false;
    const own = process.cpuUsage(cpu);
    console.log(JSON.stringify({ moves: settled, seconds: (performance.now() - begun) / 1000, own: (own.user + own.system) / 1e6 }));
    process.exit(0);
  }, 1000 * seconds);
}

main();
