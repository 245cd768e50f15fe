/** The scenarios of the suite for each revision: all of them. */
import type { Wire } from './suite.ts'

export interface WireScenarios {
  readonly passing: readonly string[]
  /** This version of the suite never runs them. */
  readonly skipped?: readonly string[]
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

/** Common to 2025-11-25 and 2025-06-18. For 2025-03-26 the suite has only the session lifecycle. */
const EVERY_SESSION_WIRE = [
  ...EVERY_WIRE,
  'logging-set-level',
  'ping',
  'resources-subscribe',
  'resources-unsubscribe',
  'server-initialize',
  'server-session-lifecycle',
  'tools-call-elicitation',
  'tools-call-sampling',
  'tools-call-with-logging',
]

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
    'sep-2640-skills-directory',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
    'server-stateless',
    'tasks-capability-negotiation',
    'tasks-dispatch-and-envelope',
    'tasks-lifecycle',
    'tasks-mrtr-composition',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-request-state-removal',
    'tasks-required-task-error',
    'tasks-wire-fields',
  ],
  // `test/durable-objects/task/listening.test.ts` covers it.
  skipped: ['tasks-status-notifications'],
}

export const SCENARIOS: Readonly<Record<Wire, WireScenarios>> = {
  '2026-07-28': MODERN,
  '2025-11-25': {
    passing: [
      ...EVERY_SESSION_WIRE,
      'dns-rebinding-protection',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'json-schema-2020-12',
      'server-sse-multiple-streams',
      'server-sse-polling',
    ],
  },
  '2025-06-18': { passing: EVERY_SESSION_WIRE },
  '2025-03-26': { passing: ['server-session-lifecycle'] },
}
