# Zigbee2MQTT; advanced: last_seen: ISO_8601 gives its messages a time. The friendly name is the device, and has no blanks.
mosquitto_sub -v -t 'zigbee2mqtt/+' | while read -r topic payload; do
  curl -s "http://localhost:8082/v1/readings?device=${topic#*/}&unit=pressure=hpa" \
    -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$payload"
done
