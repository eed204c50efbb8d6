/**
 * A line of InfluxDB's line protocol, as far as the airRohr firmware sends it: `feinstaub,node=esp8266-1 SDS_P1=5.10,SDS_P2=3.20`, one line
 * for everything a device measured, without a time. The measurement's name is set in the device, and the fields have the names of its JSON.
 */
const HEAD = /^[^\s,=]+(?:,[^\s,=]+=[^\s,=]+)*$/;
const FIELD = /^([^\s,="]+)=(?:"([^"]*)"|([^\s,"]+))(?:,|$)/;

/**
 * In the form of the firmware's JSON; undefined: it is no such line. A time at its end is left out, because devices have no clock that
 * could be trusted.
 */
export function readInfluxLine(text: string) {
  const [line = '', ...more] = text.split('\n').filter((each) => each.trim() !== '');
  const [head = '', ...others] = line.trim().split(' ');
  if (/^-?\d+$/.test(others.at(-1) ?? '')) others.pop();
  const fields = others.join(' ').trim();
  if (!HEAD.test(head) || fields === '' || more.length > 0) return undefined;
  const sensordatavalues = [];
  for (let rest = fields; rest !== ''; ) {
    const field = FIELD.exec(rest);
    if (field === null) return undefined;
    const [whole, name = '', quoted, bare] = field;
    sensordatavalues.push({ value_type: name, value: quoted ?? bare?.replace(/(?<=\d)[iu]$/, '') });
    rest = rest.slice(whole.length);
  }
  return { device: /,node=([^,]+)/.exec(head)?.[1], sensordatavalues };
}
