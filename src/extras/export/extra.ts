/** Files of open data, in the layout of the portal of airquality.am. */
import { z } from 'zod';
import { VARIABLE } from '../../base/variable.ts';
import { defineExtra } from '../extra.ts';
import { exportCommand } from './command.ts';

export const openDataExport = defineExtra({
  name: 'export',
  variables: {
    openDataLicense: z.string().optional().register(VARIABLE, {
      name: 'OPEN_DATA_LICENSE',
      meaning:
        'the text of the file `LICENSE` of exports, such as `CC-BY-4.0`; unset: there is none',
    }),
  },
  commands({ program, run, settings }) {
    program.addCommand(exportCommand(run, () => settings().openDataLicense));
  },
});
