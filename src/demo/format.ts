/** The part of the network file's format that the demo network uses. */

export type Title = { en: string; ru: string; hy: string };

export type DemoRegion = {
  slug: string;
  kind: 'city' | 'district';
  title: Title;
  map: { latitude: number; longitude: number; delta: number };
  city?: string;
  is_hidden?: true;
};

export type DemoStation = {
  id: number;
  provider: string;
  title: Title;
  latitude: number;
  longitude: number;
  altitude: number;
  regions: string[];
  hidden?: true;
  is_bad_thp?: true;
  sensors: { id: number; kind: string }[];
};

export type DemoNetwork = {
  time_zone: string;
  providers: { id: string; title: string; url: string; image: string; image_dark: string; stale_after: string }[];
  regions: DemoRegion[];
  stations: DemoStation[];
};
