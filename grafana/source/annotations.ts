/** Annotations: what happened, drawn over the charts of a dashboard. */
import type { AnnotationQuery } from './grafanaTypes.ts';
import { query } from './targets.ts';
import { CHOSEN_DATASOURCE, POSTGRES } from './variables.ts';

/** `sql` returns `time`, `timeend`, `text` and `tags`. */
export const annotation = (name: string, iconColor: string, sql: string): AnnotationQuery => ({
  name,
  iconColor,
  enable: true,
  hide: false,
  datasource: { type: POSTGRES, uid: CHOSEN_DATASOURCE },
  ...{ target: query(sql) },
});
