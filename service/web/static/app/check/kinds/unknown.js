/** The table and the event alone do not determine what is drawn. */
export class UnknownDraw extends Error {}
