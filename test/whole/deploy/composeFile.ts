/** docker-compose.yml, parsed as far as the tests need. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const ROOT = new URL('../../../', import.meta.url).pathname;
export const textOf = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');
export const yamlOf = (path: string): unknown => parse(textOf(path), { merge: true });

export type Service = {
  image: string;
  user?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  mem_limit?: string;
  volumes?: string[];
  read_only?: boolean;
  stop_grace_period?: string;
  cap_drop?: string[];
  security_opt?: string[];
};

export type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
};

export const compose = yamlOf('docker-compose.yml') as Compose;
export const services = Object.entries(compose.services);
export const ours = services.filter(([, { image }]) => image.startsWith('airseries:'));

/** Variables of the file: `${NAME:-default}`, `${NAME:?message}` or `${NAME:+text}`. */
export function variablesOf(text: string): { name: string; required: boolean }[] {
  return [...text.matchAll(/\$\{(\w+)(:[-?+])/g)].map(([, name = '', kind]) => ({
    name,
    required: kind === ':?',
  }));
}

/**
 * The words of an entrypoint or command, as the container gets them: Compose takes `$$` for `$`.
 */
export const unescaped = (words: string[] = []) => words.map((word) => word.replaceAll('$$', '$'));

/** The environment of a container if only the required variables are set. */
export function withDefaults(environment: Record<string, string> = {}): Record<string, string> {
  const filled = (value: string) =>
    value
      .replace(/\$\{\w+:\+.*\}/g, '')
      .replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind, text) => (kind === '-' ? text : 'secret'));
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, filled(value)]),
  );
}
