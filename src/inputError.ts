/** What somebody gave us cannot be used as a whole: says where, what, and what to do about it. Commands show it without a stack. */
export class InputError extends Error {
  readonly place: string;
  readonly remedy: string;

  constructor(place: string, what: string, remedy: string) {
    super(`${place}: ${what}. ${remedy}`);
    this.name = 'InputError';
    this.place = place;
    this.remedy = remedy;
  }
}
