# ESPHome over MQTT: a topic such as garden/sensor/pm_2_5/state for each sensor, whose message is the number.
mosquitto_sub -v -t '+/sensor/+/state' | while read -r topic value; do name=${topic%/state}
  curl -s "http://localhost:8082/v1/readings?device=${topic%%/*}&unit=pressure=hpa" \
    -H "Authorization: Bearer $TOKEN" -d "${name##*/}=$value"
done
