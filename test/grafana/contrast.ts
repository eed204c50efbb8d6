/** How colours look: the contrast of text by WCAG, the difference of two by OKLab, and whether Grafana writes dark digits on one. */

/** Panels on the dark and the light theme. */
export const THEMES = ['rgb(24, 27, 31)', 'rgb(255, 255, 255)'];

type Channels = readonly [number, number, number];

/** Of `rgb(…)` or `#rrggbb`. */
function channels(color: string): Channels {
  const hex = color.startsWith('#') ? [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) : undefined;
  const [red = 0, green = 0, blue = 0] = hex ?? [...color.matchAll(/\d+/g)].map(Number);
  return [red, green, blue];
}

function linear(color: string): Channels {
  const [red, green, blue] = channels(color).map((of) => {
    const share = of / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red ?? 0, green ?? 0, blue ?? 0];
}

function luminance(color: string): number {
  const [red, green, blue] = linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 to 21. */
export function contrast(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

/** As getTextColorForAlphaBackground() of @grafana/ui 13.2 decides. */
export function darkDigits(background: string): boolean {
  const [red, green, blue] = channels(background);
  return (red * 299 + green * 587 + blue * 114) / 1000 > 180;
}

function oklab(color: string): Channels {
  const [red, green, blue] = linear(color);
  const long = Math.cbrt(0.4122 * red + 0.5363 * green + 0.0514 * blue);
  const middle = Math.cbrt(0.2119 * red + 0.6807 * green + 0.1074 * blue);
  const short = Math.cbrt(0.0883 * red + 0.2817 * green + 0.63 * blue);
  return [
    0.2105 * long + 0.7936 * middle - 0.0041 * short,
    1.978 * long - 2.4286 * middle + 0.4506 * short,
    0.0259 * long + 0.7828 * middle - 0.8087 * short,
  ];
}

/** 0.02 is hardly seen; black and white are 1 apart. */
export function difference(a: string, b: string): number {
  const [one, other] = [oklab(a), oklab(b)];
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}
