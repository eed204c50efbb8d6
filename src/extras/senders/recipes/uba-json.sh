# measurements of Germany's UBA: {"data": {"143": {"2026-11-20 08:00:00": [1, 2, 29, "2026-11-20 09:00:00", "1"]}}}
jq -c '.data | to_entries[] | .key as $id | .value | to_entries[] | {device: $id, time: .key, value: .value[2]}' nested.json > rows.ndjson
node src/airseries.js import readings rows.ndjson --column pm10_ugm3=value --zone +01:00
