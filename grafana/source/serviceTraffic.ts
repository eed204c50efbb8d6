/** What comes in and goes out: requests and readings. */
import type { Section } from './dashboard.ts';
import { all, chart, collected, quantile, REQUESTS, rate, SECONDS } from './servicePanels.ts';
import { UNIT } from './units.ts';

export const requests: Section = {
  heading: 'Requests',
  panels: [
    chart({
      title: 'Requests by status',
      description: 'Responses per second by HTTP status, on all servers.',
      unit: UNIT.requests,
      stacked: true,
      queries: [[`sum by (status) (${rate(REQUESTS)})`, '{{status}}']],
    }),
    chart({
      title: 'Requests by route',
      description: 'Responses per second by path pattern.',
      unit: UNIT.requests,
      stacked: true,
      queries: [[`sum by (route) (${rate(REQUESTS)})`, '{{route}}']],
    }),
    chart({
      title: 'Error ratio',
      description:
        'Share of requests answered with a 5xx status, by route. The alert fires when over 7 % of all requests fail in an hour, or 3 % in six.',
      unit: UNIT.ratio,
      queries: [
        [
          `(sum by (route) (${rate(REQUESTS, 'status=~"5.."')}) or 0 * sum by (route) (${rate(REQUESTS)})) / sum by (route) (${rate(REQUESTS)})`,
          '{{route}}',
        ],
      ],
    }),
    chart({
      title: 'Latency',
      description:
        'Median, 95th and 99th percentile of the response time. The alert fires when the 95th exceeds 0.4 s.',
      unit: UNIT.seconds,
      queries: [
        [quantile(0.5, SECONDS), 'median'],
        [quantile(0.95, SECONDS), '95 %'],
        [quantile(0.99, SECONDS), '99 %'],
      ],
    }),
    chart({
      title: 'Latency by route',
      description: '95th percentile of the response time, by route.',
      unit: UNIT.seconds,
      queries: [[quantile(0.95, SECONDS, 'route'), '{{route}}']],
    }),
    chart({
      title: 'Requests in flight',
      description: 'Requests being answered at the moment, by server.',
      unit: UNIT.none,
      queries: [[`sum by (server) (${all('airseries_http_requests_in_flight')})`, '{{server}}']],
    }),
    chart({
      title: 'Bytes sent',
      description: 'Bytes of response bodies per second, by route.',
      unit: UNIT.bytesPerSecond,
      stacked: true,
      w: 12,
      queries: [[`sum by (route) (${rate('airseries_http_response_bytes_total')})`, '{{route}}']],
    }),
    chart({
      title: 'Client caches',
      description:
        'Responses per second by what the client had cached: nothing (none), another version (other), or the same one (304 Not Modified).',
      unit: UNIT.requests,
      stacked: true,
      w: 12,
      queries: [
        [`sum by (outcome) (${rate('airseries_conditional_requests_total')})`, '{{outcome}}'],
      ],
    }),
  ],
};

export const readings: Section = {
  heading: 'Readings',
  panels: [
    chart({
      title: 'Readings by outcome',
      description:
        'Readings per second, pushed over HTTP or pulled: accepted, unchanged, quarantined.',
      unit: UNIT.perSecond,
      stacked: true,
      queries: [[`sum by (outcome) (${rate('airseries_readings_total')})`, '{{outcome}}']],
    }),
    chart({
      title: 'Accepted by provider',
      description: 'Accepted readings per second, by provider.',
      unit: UNIT.perSecond,
      stacked: true,
      queries: [
        [
          `sum by (provider) (${rate('airseries_readings_total', 'outcome="accepted"')})`,
          '{{provider}}',
        ],
      ],
    }),
    chart({
      title: 'Replaced values',
      description:
        'Stored values per second that accepted readings replaced by others or withdrew, by provider.',
      unit: UNIT.perSecond,
      stacked: true,
      queries: [[`sum by (provider) (${rate('airseries_replaced_values_total')})`, '{{provider}}']],
    }),
    chart({
      title: 'Quarantined by reason',
      description:
        'Rejected readings per second, by reason, and lines not recorded because the quarantine of their provider is full.',
      unit: UNIT.perSecond,
      stacked: true,
      queries: [
        [`sum by (reason) (${rate('airseries_quarantined_readings_total')})`, '{{reason}}'],
        [
          `sum by (provider) (${rate('airseries_quarantine_left_out_total')})`,
          'not recorded: {{provider}}',
        ],
      ],
    }),
    chart({
      title: 'Polls',
      description:
        'Polls of providers per second, by outcome: success, quiet (nothing new for long) or failure.',
      unit: UNIT.perSecond,
      stacked: true,
      queries: [
        [
          `sum by (provider, outcome) (${rate('airseries_pulls_total')})`,
          '{{provider}} {{outcome}}',
        ],
      ],
    }),
    chart({
      title: 'Age of the newest reading',
      description:
        'By provider. Some always send late; a line that keeps climbing is a provider that went offline.',
      unit: UNIT.seconds,
      queries: [
        [
          `time() - ${collected('airseries_newest_reading_timestamp_seconds', 'provider')}`,
          '{{provider}}',
        ],
      ],
    }),
    chart({
      title: 'Stations',
      description: 'Listed stations by provider and status.',
      unit: UNIT.none,
      stacked: true,
      queries: [[collected('airseries_stations', 'provider, status'), '{{provider}} {{status}}']],
    }),
    chart({
      title: 'Readings in quarantine',
      description:
        'Complete readings in quarantine, by reason: `quarantine list` shows them, `quarantine retry` tries them again.',
      unit: UNIT.none,
      stacked: true,
      queries: [[collected('airseries_quarantine_lines', 'reason'), '{{reason}}']],
    }),
    chart({
      title: 'Delay of readings',
      description:
        'Time from measurement to acceptance: median and 95th percentile of the accepted readings.',
      unit: UNIT.seconds,
      queries: [
        [quantile(0.5, 'airseries_reading_delay_seconds'), 'median'],
        [quantile(0.95, 'airseries_reading_delay_seconds'), '95 %'],
      ],
    }),
    chart({
      title: 'Recomputed hours',
      description:
        'Closed hours per second that are recomputed because late readings were accepted.',
      unit: UNIT.perSecond,
      queries: [[`sum(${rate('airseries_late_buckets_total')})`, 'late hours']],
    }),
  ],
};
