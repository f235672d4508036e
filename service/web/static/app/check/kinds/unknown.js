/** The draw table and the event alone do not determine the draw. */
export class UnknownDraw extends Error {}
