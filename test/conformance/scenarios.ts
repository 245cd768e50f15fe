/** Which scenarios of the suite pass on each wire, and what each of the others waits for. */
import type { Wire } from './suite.ts'

/** A room of the house that is not built yet. */
export type Awaited = 'journal' | 'hub' | 'sessions' | 'tasks' | 'skills'

export interface Waiting {
  readonly scenario: string
  readonly waitsFor: readonly Awaited[]
  /** The ids of its checks that do not succeed yet, where it passes otherwise. */
  readonly checks?: readonly string[]
  /** Why it passes all the same, and proves nothing by it. */
  readonly vacuous?: string
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
  { scenario: 'resources-subscribe', waitsFor: ['sessions', 'hub'] },
  { scenario: 'resources-unsubscribe', waitsFor: ['sessions', 'hub'] },
  { scenario: 'server-session-lifecycle', waitsFor: ['sessions'] },
  { scenario: 'tools-call-elicitation', waitsFor: ['sessions', 'journal'] },
  { scenario: 'tools-call-sampling', waitsFor: ['sessions', 'journal'] },
]

const MODERN: WireScenarios = {
  passing: [
    ...EVERY_WIRE,
    'caching',
    'dns-rebinding-protection',
    'http-custom-header-server-validation',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'json-schema-2020-12',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
  ],
  waiting: [
    {
      scenario: 'server-stateless',
      waitsFor: ['journal', 'hub'],
      checks: [
        'sep-2575-server-rejects-undeclared-capability',
        'sep-2575-missing-capability-http-400',
        'sep-2575-http-server-no-independent-requests-on-stream',
        'sep-2575-server-sends-subscription-ack',
        'sep-2575-server-tags-subscription-id',
        'sep-2575-server-honors-notification-filter',
        'sep-2575-server-sends-prompts-list-changed-on-subscription',
        'sep-2575-server-sends-tools-list-changed-on-subscription',
      ],
    },
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
    ].map((name): Waiting => {
      return { scenario: `input-required-result-${name}`, waitsFor: ['journal'] }
    }),
    {
      scenario: 'input-required-result-validate-input',
      waitsFor: ['journal'],
      vacuous: 'an unknown tool is refused as an invalid answer would be',
    },
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
    ].map((name): Waiting => ({ scenario: `tasks-${name}`, waitsFor: ['tasks'] })),
    ...['directory', 'enumeration', 'manifest'].map((name): Waiting => {
      return { scenario: `sep-2640-skills-${name}`, waitsFor: ['skills'] }
    }),
  ],
}

export const SCENARIOS: Readonly<Record<Wire, WireScenarios>> = {
  '2026-07-28': MODERN,
  '2025-11-25': {
    passing: [...EVERY_SESSION_WIRE, 'dns-rebinding-protection', 'json-schema-2020-12'],
    waiting: [
      ...EVERY_SESSION_WIRE_WAITS,
      { scenario: 'elicitation-sep1034-defaults', waitsFor: ['sessions', 'journal'] },
      { scenario: 'elicitation-sep1330-enums', waitsFor: ['sessions', 'journal'] },
      { scenario: 'server-sse-multiple-streams', waitsFor: ['sessions'] },
      { scenario: 'server-sse-polling', waitsFor: ['sessions'] },
    ],
  },
  '2025-06-18': { passing: EVERY_SESSION_WIRE, waiting: EVERY_SESSION_WIRE_WAITS },
}
