import { mcp, type RequirementDocument } from './requirement.ts'

export const ping: RequirementDocument = {
  title: 'Ping',
  pages: [...mcp('basic/utilities/ping', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25')],
  requirements: [
    {
      id: 'ping-is-answered',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/utilities/ping#behavior-requirements',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The receiver answers a ping promptly with an empty result.',
      tests: [
        'test/transport/session/session-ids.test.ts > a session id > is served when it is valid',
        'test/transport/session/in-flight.test.ts > the limit of unfinished requests > is 64 by default, and allows another request when one has finished',
        'test/clients/sessions/identity.test.ts > the official client %s > negotiates the newest session revision, and can ping',
      ],
    },
  ],
}
