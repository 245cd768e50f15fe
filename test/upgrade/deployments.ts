/** The deployments whose open state is recorded, and the kinds of it. */
import type { FixtureName } from '../../scripts/support/release.ts'
import type { OpenStates } from './open-state.ts'
import { PROVIDER } from './outside-world.ts'
import { ASKING_STATES } from './states/asking-states.ts'
import { BROWSER_STATES } from './states/browser-states.ts'
import { CLIENT_STATES } from './states/client-states.ts'
import { GRANT_STATES } from './states/grant-states.ts'
import { MODERN_STATES } from './states/modern-states.ts'
import { PRINCIPAL_STATES } from './states/principal-states.ts'
import { SESSION_STATES } from './states/session-states.ts'
import { TASK_OF_A_PRINCIPAL, TASK_STATES } from './states/task-states.ts'
import { UPSTREAM_STATES } from './states/upstream-states.ts'

export interface Deployment {
  readonly worker: FixtureName
  readonly states: OpenStates
  /** Variables at the recording. */
  readonly vars: Readonly<Record<string, string>>
  /** Variables at the opening, where they differ. */
  readonly laterVars?: Readonly<Record<string, string>>
}

const SECRET = 'recorded-secret-of-more-than-32-characters'
const NEWER_SECRET = 'rotated-secret-of-more-than-32-characters'

export const DEPLOYMENTS = {
  fixture: {
    worker: 'fixture',
    states: { ...MODERN_STATES, ...SESSION_STATES, ...ASKING_STATES, ...TASK_STATES },
    vars: {},
  },
  /** Seals under a secret of the environment, which is rotated after the recording. */
  secret: {
    worker: 'fixture',
    states: {
      ...MODERN_STATES,
      'idle session': SESSION_STATES['idle session, 2025-11-25'],
      'pending question': ASKING_STATES['pending question, 2025-11-25'],
      'task with a webhook': TASK_STATES['task with a webhook'],
    },
    vars: { EDGEWAY_SECRET: SECRET },
    laterVars: { EDGEWAY_SECRET: `${NEWER_SECRET} ${SECRET}` },
  },
  protected: {
    worker: 'protected',
    states: {
      ...CLIENT_STATES,
      ...BROWSER_STATES,
      ...PRINCIPAL_STATES,
      ...TASK_OF_A_PRINCIPAL,
      ...GRANT_STATES,
    },
    vars: {},
  },
  upstream: { worker: 'protected', states: UPSTREAM_STATES, vars: { UPSTREAM: PROVIDER } },
} as const satisfies Record<string, Deployment>

export type DeploymentName = keyof typeof DEPLOYMENTS
