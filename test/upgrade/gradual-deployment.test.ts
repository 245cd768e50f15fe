/**
 * Gradual deployments and rollbacks: the present version and a release that reads its rows share one storage, at
 * the same time or in turns, and the server is killed between the turns.
 */
import { describe } from 'vitest'
import { describeTurn, releasesOf, restoredStorage, startOn } from './turns.ts'

const classes = ['McpObjects', 'Probes']

describe.each(releasesOf(['fixture', 'protected']))(
  'the $name server and release $version',
  ({ name, path }) => {
    const storage = restoredStorage(path, name)

    describe('a deployment of two versions as the present Worker with objects of the release', () =>
      describeTurn(storage, {
        resumesItself: true,
        start: async ({ present, released }) => {
          const objects = { bundle: await released(), classes }
          return startOn(storage, { worker: await present(), objects })
        },
      }))

    describe('a deployment of two versions as the Worker of the release with present objects', () =>
      describeTurn(storage, {
        resumesItself: true,
        start: async ({ present, released }) => {
          const objects = { bundle: await present(), classes }
          return startOn(storage, { worker: await released(), objects })
        },
      }))

    describe('a deployment of two versions as the release after a rollback', () =>
      describeTurn(storage, {
        isLast: true,
        start: async ({ released }) => startOn(storage, { worker: await released() }),
      }))
  },
)
