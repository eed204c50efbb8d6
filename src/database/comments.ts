export function commentsSql(): string {
  return '';
}
