import { mcp, type RequirementDocument } from './requirement.ts'

export const transports: RequirementDocument = {
  title: 'Transports',
  pages: [
    ...mcp(
      'basic/transports',
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
      '2026-07-28',
    ),
  ],
  requirements: [
    {
      id: 'binding-delivers-messages',
      level: 'MUST',
      clauses: [...mcp('basic/transports#messages', '2026-07-28')],
      says: 'A transport delivers requests and notifications to the server, and responses and notifications to the client.',
      concerns: 'specification',
    },
    {
      id: 'custom-transports',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/transports#custom-transports',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'A custom transport preserves the format of messages and the patterns of the protocol.',
      concerns: 'specification',
    },
  ],
}
