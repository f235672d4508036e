// A server of boardgame.io with two small games: `node server.js PORT [STORAGE]`.
//
// STORAGE is empty (in memory), `files:FOLDER` (its FlatFile storage) or a postgresql:// address (bgio-postgres).
//
// A move puts the player's mark into one of nine cells and counts it; nobody wins, so that a game lasts as long as it is
// played. In `turns-of-1` the players move by turns, in `turns-of-8` each of them moves eight times in a row.

const { FlatFile, Server } = require('boardgame.io/server');
const { PostgresStore } = require('bgio-postgres');

const game = (moves) => ({
  name: `turns-of-${moves}`,
  disableUndo: true,
  setup: () => ({ cells: Array(9).fill(null), marks: 0 }),
  turn: { minMoves: moves, maxMoves: moves },
  moves: {
    mark: ({ G, playerID }, cell) => {
      G.cells[cell] = playerID;
      G.marks += 1;
    },
  },
});

function stored(storage) {
  if (!storage) return undefined;
  if (storage.startsWith('files:')) return new FlatFile({ dir: storage.slice('files:'.length) });
  return new PostgresStore(storage, { logging: false });
}

const [port, storage] = process.argv.slice(2);
Server({ games: [game(1), game(8)], origins: ['*'], db: stored(storage) }).run({ port: Number(port), host: '127.0.0.1' });
