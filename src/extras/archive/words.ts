/** The texts of the page of the archive. */
import type { Locale } from '../../contract/endpoints.ts';

type Texts = Readonly<Record<Locale, string>>;

export const TITLE: Texts = { en: 'Data archive', ru: 'Архив данных', hy: 'Տվյալների արխիվ' };

const TEXTS = {
  intro: {
    en: 'The whole history of the stations, cities and districts in files: hours by month, days by year.',
    ru: 'Вся история станций, городов и районов в файлах: часы по месяцам, дни по годам.',
    hy: 'Կայանների, քաղաքների և շրջանների ողջ պատմությունը ֆայլերով՝ ժամերն ըստ ամիսների, օրերն ըստ տարիների։',
  },
  times: {
    en: 'Times in Parquet files are UTC and name the start of an hour or day. A file changes only when its content does.',
    ru: 'Время в файлах Parquet указано по UTC и обозначает начало часа или дня. Файл меняется, только когда меняется его содержание.',
    hy: 'Parquet ֆայլերում ժամանակը UTC է և նշում է ժամի կամ օրվա սկիզբը։ Ֆայլը փոխվում է միայն այն ժամանակ, երբ փոխվում է դրա բովանդակությունը։',
  },
  index: {
    en: 'The list for programs, with columns, units and checksums:',
    ru: 'Список для программ, со столбцами, единицами и контрольными суммами:',
    hy: 'Ցանկը ծրագրերի համար՝ սյունակներով, միավորներով և ստուգիչ գումարներով․',
  },
  upTo: {
    en: 'The files have the hours up to {time} (UTC).',
    ru: 'В файлах есть часы по {time} (UTC) включительно.',
    hy: 'Ֆայլերում ժամերը մինչև {time}-ն են (UTC) ներառյալ։',
  },
  missing: {
    en: 'Not complete yet, and made soon: {files}.',
    ru: 'Ещё не полны и скоро будут созданы: {files}.',
    hy: 'Դեռ ամբողջական չեն և շուտով կստեղծվեն՝ {files}։',
  },
  none: {
    en: 'There are no files yet. They are made soon after the start, and each night.',
    ru: 'Файлов пока нет. Они создаются вскоре после запуска и каждую ночь.',
    hy: 'Ֆայլեր դեռ չկան։ Դրանք ստեղծվում են մեկնարկից անմիջապես հետո և ամեն գիշեր։',
  },
  read: { en: 'How to read them', ru: 'Как их читать', hy: 'Ինչպես կարդալ' },
  readText: {
    en: 'In DuckDB, which fetches only the parts that it needs; pandas and R read Parquet too.',
    ru: 'В DuckDB, который загружает только нужные части; pandas и R тоже читают Parquet.',
    hy: 'DuckDB-ով, որը բեռնում է միայն անհրաժեշտ մասերը. pandas-ը և R-ը նույնպես կարդում են Parquet։',
  },
  file: { en: 'File', ru: 'Файл', hy: 'Ֆայլ' },
  size: { en: 'Size', ru: 'Размер', hy: 'Չափ' },
  rows: { en: 'Rows', ru: 'Строк', hy: 'Տողեր' },
  period: { en: 'Period', ru: 'Период', hy: 'Ժամանակահատված' },
  changed: { en: 'Changed', ru: 'Изменён', hy: 'Փոփոխվել է' },
  files: { en: 'files: {n}, {size}', ru: 'файлов: {n}, {size}', hy: 'ֆայլեր՝ {n}, {size}' },
} as const satisfies Readonly<Record<string, Texts>>;

/** Texts by the folder of the files; files without a folder are lists. */
const FOLDERS: Readonly<Record<string, Texts>> = {
  '': { en: 'Lists', ru: 'Списки', hy: 'Ցանկեր' },
  hours: { en: 'Hours of stations', ru: 'Часы станций', hy: 'Կայանների ժամերը' },
  days: { en: 'Days of stations', ru: 'Дни станций', hy: 'Կայանների օրերը' },
  'regions-hours': {
    en: 'Hours of cities and districts',
    ru: 'Часы городов и районов',
    hy: 'Քաղաքների և շրջանների ժամերը',
  },
  'regions-days': {
    en: 'Days of cities and districts',
    ru: 'Дни городов и районов',
    hy: 'Քաղաքների և շրջանների օրերը',
  },
  'airquality-am': {
    en: 'CSV in the layout of airquality.am',
    ru: 'CSV в формате airquality.am',
    hy: 'CSV՝ airquality.am-ի ձևաչափով',
  },
};

/** Units of bytes, thousands and so on. */
export const SIZES: Readonly<Record<Locale, readonly [string, string, string, string]>> = {
  en: ['B', 'kB', 'MB', 'GB'],
  ru: ['Б', 'кБ', 'МБ', 'ГБ'],
  hy: ['Բ', 'ԿԲ', 'ՄԲ', 'ԳԲ'],
};

export const wordsIn = (locale: Locale) =>
  Object.fromEntries(Object.entries(TEXTS).map(([key, texts]) => [key, texts[locale]])) as Record<
    keyof typeof TEXTS,
    string
  >;

/** The title of a folder; an unknown one has its own name. */
export const folderTitle = (folder: string, locale: Locale): string =>
  FOLDERS[folder]?.[locale] ?? folder;
