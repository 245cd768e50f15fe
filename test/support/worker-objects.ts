// features: objects
/** The class of the objects of the Worker of the tests: those that all servers share, and those of each app. */
import { createAppObjects } from '../../durable-objects/app-objects.ts'
import { HubObject } from '../../durable-objects/hub/hub-object.ts'
import { PrincipalsObject } from '../../durable-objects/keyring/principals-object.ts'
import { RedeemedObject } from '../../durable-objects/keyring/redeemed-object.ts'
import { serversOf } from '../../durable-objects/objects-class.ts'
import { StateObject } from '../../durable-objects/state/state-object.ts'
import { codeApp } from '../../packages/code/test/code/support/code-server.ts'
import { scopedApp } from '../../packages/code/test/code/support/scoped-server.ts'
import { searchApp } from '../../packages/code/test/search/support/search-server.ts'
import { TimelineObject } from '../../packages/inspector/src/objects/log/timeline-object.ts'
import { TrafficObject } from '../../packages/inspector/src/objects/traffic/traffic-object.ts'
import { inspectedApp } from '../../packages/inspector/test/inspect/support/object-server.ts'
import type { ServerObjects } from '../../src/ports/objects.ts'
import { accountParts } from './account-classes.ts'
import { askingApp } from './asking-server.ts'
import { authorizedApp } from './authorized-server.ts'
import { factoryApp } from './factory-server.ts'
import { authorizedHeldApp, heldApp } from './held-server.ts'
import { authorizedJobApp, jobApp } from './job-server.ts'
import { LastingKeyring } from './lasting-keyring.ts'
import { createTestClass } from './opened-objects.ts'
import { sessionApp } from './session-server.ts'
import { subjectApp } from './subject-server.ts'
import { authorizedTaskApp, taskApp } from './task-server.ts'
import { toolTaskApp } from './tool-task-server.ts'
import { docs, notes } from './two-servers.ts'

/** What all servers share, also those that tests open. */
const SHARED = {
  audience: 'shared',
  parts: {
    ...accountParts({}),
    hub: { create: (state, env) => new HubObject(state, env) },
    keyring: { create: (state, env) => new LastingKeyring(state, env) },
    principals: { create: (state, env) => new PrincipalsObject(state, env) },
    redeemed: { create: (state, env) => new RedeemedObject(state, env) },
    state: { create: (state, env) => new StateObject(state, env) },
    timeline: { create: (state, env) => new TimelineObject(state, env) },
    traffic: { create: (state, env) => new TrafficObject(state, env) },
  },
  objectsIn: (env) =>
    createAppObjects(env as object as never, {
      audience: 'shared',
      isPublic: () => false,
      report: () => undefined,
    }),
} satisfies ServerObjects

const APPS = [
  authorizedApp,
  authorizedHeldApp,
  authorizedJobApp,
  authorizedTaskApp,
  codeApp,
  docs,
  factoryApp,
  askingApp,
  heldApp,
  inspectedApp,
  jobApp,
  notes,
  scopedApp,
  searchApp,
  sessionApp,
  subjectApp,
  taskApp,
  toolTaskApp,
]

export const McpObjects = createTestClass([
  SHARED,
  ...APPS.flatMap(({ Objects }) => serversOf(Objects)),
])
