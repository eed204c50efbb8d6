/**
 * Draws an SVG of text as PNG, the only picture that most messengers show of a link. The letters
 * are DejaVu's, which has Armenian and Cyrillic: a server need not have any font.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type ToPng = (svg: string) => Promise<Buffer>;
/** The part of the package that is used; it may be missing, its types too. */
type Resvg = { renderAsync(svg: string, options: object): Promise<{ asPng(): Buffer }> };

/** Undefined on a platform for which there is no binary: links are text there. */
function loadRenderer(): ToPng | undefined {
  try {
    const { renderAsync } = require('@resvg/resvg-js') as Resvg;
    const fontFiles = ['DejaVuSans', 'DejaVuSans-Bold'].map((name) =>
      require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`),
    );
    const font = {
      fontFiles,
      loadSystemFonts: false,
      defaultFontFamily: 'DejaVu Sans',
      sansSerifFamily: 'DejaVu Sans',
    };
    // in a thread of its own: it takes 20 ms
    return async (svg) => (await renderAsync(svg, { font })).asPng();
  } catch {
    return undefined;
  }
}

export const toPng = loadRenderer();
