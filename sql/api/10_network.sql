-- The network as it is published: who measures, where, under which names. Titles fall back locale, en, any, slug.

create function api.title(titles jsonb, locale text, otherwise text) returns text language sql immutable parallel safe
  return coalesce(titles ->> locale, titles ->> 'en', (select min(value) from jsonb_each_text(titles)), otherwise);

create view api.provider as
  select id, title, url, image, image_dark from raw.provider;

create view api.region as
  select
    r.slug,
    r.kind,
    r.city_slug,
    api.title(r.title, 'en', r.slug) as title_en,
    api.title(r.title, 'ru', r.slug) as title_ru,
    api.title(r.title, 'hy', r.slug) as title_hy,
    api.title(c.title, 'en', c.slug) as city_en,
    api.title(c.title, 'ru', c.slug) as city_ru,
    api.title(c.title, 'hy', c.slug) as city_hy,
    r.map_latitude,
    r.map_longitude,
    r.map_delta,
    case when r.kind = 'city' then r.is_hidden end as is_hidden
  from raw.region r
  left join raw.region c on c.slug = r.city_slug;

create view api.station as
  select
    s.id,
    s.provider_id as provider,
    api.title(s.title, 'en', s.id::text) as title_en,
    api.title(s.title, 'ru', s.id::text) as title_ru,
    api.title(s.title, 'hy', s.id::text) as title_hy,
    s.city_slug,
    api.title(c.title, 'en', c.slug) as city_en,
    api.title(c.title, 'ru', c.slug) as city_ru,
    api.title(c.title, 'hy', c.slug) as city_hy,
    s.district_slug,
    api.title(d.title, 'en', d.slug) as district_en,
    api.title(d.title, 'ru', d.slug) as district_ru,
    api.title(d.title, 'hy', d.slug) as district_hy,
    s.latitude,
    s.longitude
  from raw.station s
  left join raw.region c on c.slug = s.city_slug
  left join raw.region d on d.slug = s.district_slug;
