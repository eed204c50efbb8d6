# Madrid: PROVINCIA;MUNICIPIO;ESTACION;MAGNITUD;PUNTO_MUESTREO;ANO;MES;DIA;H01;V01 … H24;V24. H01 ends at 01:00, and V is valid.
# It names no clock: with values for H02 and H03 of the last Sunday of March it keeps winter time, else the zone is Europe/Madrid
awk -F';' 'BEGIN { split("so2_ugm3 no2_ugm3 pm25 pm10 o3_ugm3", name, " "); split("1 8 9 10 14", id, " ")
    for (i in id) of[id[i]] = name[i] }
  { sub(/\r$/, "") } ($4 + 0) in of { for (i = 9; i < NF; i += 2) if ($(i + 1) == "V")
    printf "{\"device\":\"%d\",\"time\":\"%d-%02d-%02d %02d:00\",\"%s\":\"%s\"}\n", $3, $6, $7, $8, (i - 7) / 2, of[$4 + 0], $i }' wide.csv > rows.ndjson
node src/airseries.js import readings rows.ndjson --zone +01:00 --shift -1h
