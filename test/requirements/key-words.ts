import { mcp, type RequirementDocument } from './requirement.ts'

export const keyWords: RequirementDocument = {
  title: 'Key words',
  pages: [...mcp('', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
  requirements: [
    {
      id: 'key-words-of-bcp-14',
      level: 'MUST',
      clauses: [...mcp('', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The key words of requirements have the meaning of BCP 14 where they are written in capitals.',
      concerns: 'specification',
    },
  ],
}
