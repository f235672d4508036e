// A server of boardgame.io with two small games, kept in memory: `node server.js PORT`.
//
// A move puts the player's mark into one of nine cells and counts it; nobody wins, so that a game lasts as long as it is
// played. In `turns-of-1` the players move by turns, in `turns-of-8` each of them moves eight times in a row.

const { Server } = require('boardgame.io/server');

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

const port = Number(process.argv[2]);
Server({ games: [game(1), game(8)], origins: ['*'] }).run({ port, host: '127.0.0.1' });
