/** Which scenarios of the suite pass on each wire, and what each of the others waits for. */
import type { Wire } from './suite.ts'

/** A room of the house that is not built yet. */
export type Awaited = 'sessions' | 'tasks' | 'skills'

export interface Waiting {
  readonly scenario: string
  readonly waitsFor: Awaited
}

export interface WireScenarios {
  readonly passing: readonly string[]
  readonly waiting: readonly Waiting[]
}

const EVERY_WIRE = [
  'completion-complete',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'prompts-list',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
]

const EVERY_SESSION_WIRE = [
  ...EVERY_WIRE,
  'logging-set-level',
  'ping',
  'server-initialize',
  'tools-call-with-logging',
]

const EVERY_SESSION_WIRE_WAITS: readonly Waiting[] = [
  'resources-subscribe',
  'resources-unsubscribe',
  'server-session-lifecycle',
  'tools-call-elicitation',
  'tools-call-sampling',
].map((scenario): Waiting => ({ scenario, waitsFor: 'sessions' }))

const MODERN: WireScenarios = {
  passing: [
    ...EVERY_WIRE,
    'caching',
    'dns-rebinding-protection',
    'http-custom-header-server-validation',
    'http-header-validation',
    ...[
      'basic-elicitation',
      'basic-list-roots',
      'basic-sampling',
      'capability-check',
      'ignore-extra-params',
      'missing-input-response',
      'multi-round',
      'multiple-input-requests',
      'non-tool-request',
      'request-state',
      'result-type',
      'tampered-state',
      'unsupported-methods',
      'validate-input',
    ].map((name) => `input-required-result-${name}`),
    'json-schema-2020-12',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'server-stateless',
  ],
  waiting: [
    ...[
      'capability-negotiation',
      'dispatch-and-envelope',
      'lifecycle',
      'mrtr-composition',
      'mrtr-input',
      'request-headers',
      'request-state-removal',
      'required-task-error',
      'status-notifications',
      'wire-fields',
    ].map((name): Waiting => ({ scenario: `tasks-${name}`, waitsFor: 'tasks' })),
    ...['directory', 'enumeration', 'manifest'].map((name): Waiting => {
      return { scenario: `sep-2640-skills-${name}`, waitsFor: 'skills' }
    }),
  ],
}

export const SCENARIOS: Readonly<Record<Wire, WireScenarios>> = {
  '2026-07-28': MODERN,
  '2025-11-25': {
    passing: [...EVERY_SESSION_WIRE, 'dns-rebinding-protection', 'json-schema-2020-12'],
    waiting: [
      ...EVERY_SESSION_WIRE_WAITS,
      ...[
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
        'server-sse-multiple-streams',
        'server-sse-polling',
      ].map((scenario): Waiting => ({ scenario, waitsFor: 'sessions' })),
    ],
  },
  '2025-06-18': { passing: EVERY_SESSION_WIRE, waiting: EVERY_SESSION_WIRE_WAITS },
}
