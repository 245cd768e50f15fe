import { mcp, type RequirementDocument } from './requirement.ts'

export const changelog: RequirementDocument = {
  title: 'Changelog',
  pages: [...mcp('changelog', '2026-07-28')],
  requirements: [
    {
      id: 'iss-is-validated',
      level: 'MUST',
      clauses: [...mcp('changelog#minor-changes', '2026-07-28')],
      says: 'The client validates the iss parameter of an authorization response.',
      concerns: 'client',
    },
    {
      id: 'credentials-by-issuer',
      level: 'MUST',
      clauses: [...mcp('changelog#minor-changes', '2026-07-28')],
      says: 'The client stores its credentials by the issuer that registered it.',
      concerns: 'client',
    },
    {
      id: 'credentials-are-not-reused',
      level: 'MUST NOT',
      clauses: [...mcp('changelog#minor-changes', '2026-07-28')],
      says: 'The client uses its credentials at no other issuer.',
      concerns: 'client',
    },
    {
      id: 'new-issuer-new-registration',
      level: 'MUST',
      clauses: [...mcp('changelog#minor-changes', '2026-07-28')],
      says: 'The client registers again when the issuer changes.',
      concerns: 'client',
    },
  ],
}
