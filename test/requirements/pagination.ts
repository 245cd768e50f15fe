import { mcp, type RequirementDocument } from './requirement.ts'

export const pagination: RequirementDocument = {
  title: 'Pagination',
  pages: [
    ...mcp(
      'server/utilities/pagination',
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
      '2026-07-28',
    ),
  ],
  requirements: [
    {
      id: 'page-size-is-not-assumed',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'server/utilities/pagination#pagination-model',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The client assumes no page size.',
      concerns: 'client',
    },
    {
      id: 'cursors-are-opaque',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/utilities/pagination#implementation-guidelines',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The client treats cursors as opaque.',
      concerns: 'client',
      tests: [
        'test/property/cursors.test.ts > a cursor > has one text per position: any other text is refused as invalid params',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a cursor that this server did not issue',
      ],
    },
    {
      id: 'empty-cursor-is-not-the-end',
      level: 'MUST NOT',
      clauses: [...mcp('server/utilities/pagination#implementation-guidelines', '2026-07-28')],
      says: 'The client does not treat an empty cursor as the end of a list.',
      concerns: 'client',
    },
  ],
}
