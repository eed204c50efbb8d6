# Tasmota, whose Time is local. Values lie in objects named like their instrument, so each is a column with a path.
mosquitto_sub -v -t 'tele/+/SENSOR' | while read -r topic payload; do device=${topic#tele/}
  columns='column=temperature=BME280.Temperature&column=humidity=BME280.Humidity&unit=humidity=%25&column=pressure=BME280.Pressure'
  columns="$columns&column=pm25_ugm3=SDS0X1.PM2.5&column=pm10_ugm3=SDS0X1.PM10"
  curl -s "http://localhost:8082/v1/readings?device=${device%/SENSOR}&zone=Europe/Berlin&unit=pressure=hpa&$columns" \
    -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$payload"
done
