import { mcp, type RequirementDocument } from './requirement.ts'

export const roots: RequirementDocument = {
  title: 'Roots',
  pages: [
    ...mcp('client/roots', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'capability-at-initialization',
      level: 'MUST',
      clauses: [
        ...mcp('client/roots#capabilities', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
      ],
      says: 'The client declares the roots capability in initialize.',
      concerns: 'client',
      tests: [
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
      ],
    },
    {
      id: 'capability-in-each-request',
      level: 'MUST',
      clauses: [...mcp('client/roots#capabilities', '2026-07-28')],
      says: 'The client declares the roots capability in every request.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
      ],
    },
    {
      id: 'list-changes-are-reported',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/roots#root-list-changes',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
        ),
      ],
      says: 'The client that declares listChanged reports changes of its roots.',
      concerns: 'client',
      tests: [
        'test/clients/sessions/sampling-and-roots.test.ts > the official client %s > answers roots requests, also after its roots changed',
      ],
    },
    {
      id: 'root-is-a-file-uri',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/roots#root',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The URI of a root has the scheme file.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/asking.test.ts > answers to sampling and roots asks > are asked again when the roots answer is %j',
      ],
    },
    {
      id: 'roots-are-protected',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/roots#security-considerations',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The client exposes permitted roots only, validates their URIs and controls access.',
      concerns: 'client',
    },
  ],
}
