/** Values of JSON whose numbers are whole. */

export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
export type Objekt = { [key: string]: Json };
