/**
 * Decimal arithmetic on the 15 digits that a float8 holds for certain, independently of the
 * database that it checks.
 */

/** Digits without the point, and the number of digits after it. */
type Decimal = { digits: bigint; scale: number };

export function decimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential(14).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Rounds to that many decimals, towards zero. */
export function truncated({ digits, scale }: Decimal, decimals: number): number {
  const kept =
    scale <= decimals
      ? digits * 10n ** BigInt(decimals - scale)
      : digits / 10n ** BigInt(scale - decimals);
  return Number(kept) / 10 ** decimals;
}

/** Rounds to that many decimals, half away from zero; never -0. */
export function roundedHalfUp({ digits, scale }: Decimal, decimals: number): number {
  if (scale <= decimals) return truncated({ digits, scale }, decimals);
  const half = 5n * 10n ** BigInt(scale - decimals - 1);
  return truncated({ digits: digits + (digits < 0n ? -half : half), scale }, decimals) + 0;
}
