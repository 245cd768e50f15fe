import { mcp, type RequirementDocument } from './requirement.ts'

export const icons: RequirementDocument = {
  title: 'Base protocol: icons',
  pages: [
    ...mcp('basic', '2025-11-25', '2026-07-28'),
    ...mcp('schema', '2025-11-25', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'icon-types',
      level: 'MUST',
      clauses: [
        ...mcp('basic#icons', '2025-11-25', '2026-07-28'),
        ...mcp('schema#icon', '2025-11-25', '2026-07-28'),
      ],
      says: 'The client that shows icons supports at least PNG and JPEG.',
      concerns: 'client',
    },
    {
      id: 'icon-precautions',
      level: 'MUST',
      clauses: [...mcp('basic#icons', '2025-11-25', '2026-07-28')],
      says: 'The consumer of icons takes precautions against hostile icons.',
      concerns: 'client',
    },
    {
      id: 'unsafe-icon-uris',
      level: 'MUST',
      clauses: [...mcp('basic#icons', '2025-11-25', '2026-07-28')],
      says: 'The client rejects icons whose URI has an unsafe scheme or a redirect.',
      concerns: 'client',
      tests: [
        'test/server/registration.test.ts > registerTool with a malformed tool > throws a TypeError for %s > an icon from a script',
      ],
    },
  ],
}
