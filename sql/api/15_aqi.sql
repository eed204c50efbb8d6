-- Functions that put the air quality index into words, for people to read.

create function api.aqi_category(aqi int) returns text language sql immutable parallel safe
  return case
    when aqi <= 50 then 'Good'
    when aqi <= 100 then 'Moderate'
    when aqi <= 150 then 'Unhealthy for sensitive groups'
    when aqi <= 200 then 'Unhealthy'
    when aqi <= 300 then 'Very unhealthy'
    when aqi > 300 then 'Hazardous'
  end;
comment on function api.aqi_category is
  'Category of the US EPA air quality index of PM2.5 and PM10, in English; null for null.';

create function api.aqi_text(aqi int) returns text language sql immutable parallel safe
  return aqi || ' · ' || api.aqi_category(aqi);
comment on function api.aqi_text is
  'The US EPA air quality index of PM2.5 and PM10 with its category, such as "79 · Moderate"; null for null.';
