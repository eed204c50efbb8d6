# UBA, Germany: … Stationscode; … Schadstoff;"Art der Auswertung";Datum;Uhrzeit;Messwert;Einheit. Only means of an hour, which 24:00 ends
awk -F';' 'BEGIN { split("so2_ugm3 no2_ugm3 pm25 pm10 o3_ugm3", name, " "); split("SO₂ NO₂ PM₂,₅ PM₁₀ O₃", id, " ")
    for (i in id) of[id[i]] = name[i] }
  { gsub(/["\047\r]/, "") } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  { gas = $at["Schadstoff"]; sub(/^.*\(/, "", gas); sub(/\)$/, "", gas); value = $at["Messwert"] }
  gas in of && $at["Art der Auswertung"] ~ /\(1SMW\)/ && value != "-" { printf "{\"device\":\"%s\",\"time\":\"%s %s\",\"%s\":\"%s\"}\n",
    $at["Stationscode"], $at["Datum"], $at["Uhrzeit"], of[gas], value }' wide.csv > rows.ndjson
node src/airseries.js import readings rows.ndjson --zone +01:00 --shift -1h
