/**
 * What is installed with the package, to stdout: an SBOM in CycloneDX. `npm sbom --omit=dev` would leave out what development needs as well,
 * such as debug, so what development alone needs is taken out here.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const options = ['--package-lock-only', '--sbom-format=cyclonedx'];
const bom = JSON.parse(
  execFileSync('npm', ['sbom', ...options], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
);
const isDevelopment = ({ properties }) =>
  properties.some(({ name }) => name === 'cdx:npm:package:development');
const left = new Set(bom.components.filter(isDevelopment).map((component) => component['bom-ref']));

// its package.json has only the name of the file
for (const component of bom.components)
  if (component.name === 'dejavu-fonts-ttf')
    component.licenses = [{ license: { id: 'Bitstream-Vera' } }];
bom.metadata.component.name = JSON.parse(readFileSync('package.json', 'utf8')).name; // npm takes that of the folder
bom.components = bom.components.filter((component) => !left.has(component['bom-ref']));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) }));
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`);
