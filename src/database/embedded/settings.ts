/** Server settings, given at every start so that they follow this version of the code and not an old file. */

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '50',
  // Sized for a machine with 2 GB that also runs the service.
  shared_buffers: '256MB',
  work_mem: '32MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  jit: 'off', // compiling costs more than it saves on queries of milliseconds
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off', // the log is for what went wrong
};

const TIMESCALE_SETTINGS = {
  shared_preload_libraries: 'timescaledb',
  'timescaledb.telemetry_level': 'off',
  'timescaledb.max_background_workers': '4',
};

export function serverArguments(
  timescale: boolean,
  data: string,
  { sockets, port }: { sockets: string; port: number },
): string[] {
  // A list to PostgreSQL: without the quotes a comma or a blank in the path would split it.
  const directories = `"${sockets.replaceAll('"', '""')}"`;
  const own = { unix_socket_directories: directories, port: String(port) };
  const all = { ...SETTINGS, ...(timescale ? TIMESCALE_SETTINGS : {}), ...own };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
