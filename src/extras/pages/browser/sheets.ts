/** A style sheet is a text in the bundle of the widget. */
declare module 'style/*.css' {
  const text: string;
  export default text;
}
