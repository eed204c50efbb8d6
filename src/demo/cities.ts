/**
 * The cities and districts of a country that does not exist, in the middle of an ocean, with what shapes the air of each. No real place
 * has one of these names, so the numbers cannot be mistaken for real air.
 */
export type Title = { en: string; ru: string; hy: string };

export type City = {
  slug: string;
  title: Title;
  latitude: number;
  longitude: number;
  /** Metres above sea level. */
  altitude: number;
  /** Roughly the annual mean of PM2.5, µg/m³. */
  particles: number;
  /** Wind speed as a multiple of the country's. */
  wind: number;
  /** Left out of some listings. */
  hidden?: true;
  districts: readonly { slug: string; title: Title }[];
};

export const CITIES: readonly City[] = [
  {
    slug: 'velmora',
    title: { en: 'Velmora', ru: 'Велмора', hy: 'Վելմորա' },
    latitude: 45.1,
    longitude: -39.2,
    altitude: 120,
    particles: 25,
    wind: 0.9,
    districts: [
      { slug: 'asteren', title: { en: 'Asteren', ru: 'Астерен', hy: 'Աստերեն' } },
      { slug: 'kestrava', title: { en: 'Kestrava', ru: 'Кестрава', hy: 'Կեստրավա' } },
      { slug: 'lundoreth', title: { en: 'Lundoreth', ru: 'Лундорет', hy: 'Լունդորեթ' } },
      { slug: 'mirovane', title: { en: 'Mirovane', ru: 'Мироване', hy: 'Միրովանե' } },
      { slug: 'orlesk', title: { en: 'Orlesk', ru: 'Орлеск', hy: 'Օրլեսկ' } },
      { slug: 'palvesta', title: { en: 'Palvesta', ru: 'Палвеста', hy: 'Պալվեստա' } },
    ],
  },
  {
    slug: 'tarnesh',
    title: { en: 'Tarnesh', ru: 'Тарнеш', hy: 'Տարնեշ' },
    latitude: 45.45,
    longitude: -38.85,
    altitude: 640,
    particles: 28,
    wind: 0.7,
    districts: [
      { slug: 'elkorosh', title: { en: 'Elkorosh', ru: 'Элкорош', hy: 'Էլկորոշ' } },
      { slug: 'sardolin', title: { en: 'Sardolin', ru: 'Сардолин', hy: 'Սարդոլին' } },
      { slug: 'vintrey', title: { en: 'Vintrey', ru: 'Винтрей', hy: 'Վինտրեյ' } },
    ],
  },
  {
    slug: 'okravel',
    title: { en: 'Okravel', ru: 'Окравел', hy: 'Օկրավել' },
    latitude: 44.85,
    longitude: -39.75,
    altitude: 15,
    particles: 12,
    wind: 1.6,
    districts: [
      { slug: 'rosmeny', title: { en: 'Rosmeny', ru: 'Росмени', hy: 'Ռոսմենի' } },
      { slug: 'tulvane', title: { en: 'Tulvane', ru: 'Тулване', hy: 'Տուլվանե' } },
    ],
  },
  {
    slug: 'lisandor',
    title: { en: 'Lisandor', ru: 'Лисандор', hy: 'Լիսանդոր' },
    latitude: 45.3,
    longitude: -39.65,
    altitude: 310,
    particles: 19,
    wind: 1,
    districts: [{ slug: 'zamirel', title: { en: 'Zamirel', ru: 'Замирел', hy: 'Զամիրել' } }],
  },
  {
    slug: 'pelvareth',
    title: { en: 'Pelvareth', ru: 'Пелварет', hy: 'Պելվարեթ' },
    latitude: 45.7,
    longitude: -39.35,
    altitude: 980,
    particles: 13,
    wind: 1.2,
    districts: [],
  },
  {
    slug: 'ishkaren',
    title: { en: 'Ishkaren', ru: 'Ишкарен', hy: 'Իշկարեն' },
    latitude: 44.9,
    longitude: -38.75,
    altitude: 450,
    particles: 29,
    wind: 0.8,
    districts: [],
  },
  {
    slug: 'nalgoret',
    title: { en: 'Nalgoret', ru: 'Налгорет', hy: 'Նալգորետ' },
    latitude: 44.6,
    longitude: -39.2,
    altitude: 210,
    particles: 16,
    wind: 1.1,
    hidden: true,
    districts: [],
  },
  {
    slug: 'ustrelia',
    title: { en: 'Ustrelia', ru: 'Устрелия', hy: 'Ուստրելիա' },
    latitude: 45.75,
    longitude: -38.6,
    altitude: 1_850,
    particles: 8,
    wind: 1.4,
    districts: [],
  },
];
