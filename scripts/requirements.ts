/** `npm run requirements`: writes `test/REQUIREMENTS.md` from the documents in `test/requirements`. */
import { writeFileSync } from 'node:fs'
import { DOCUMENTS } from '../test/requirements/documents.ts'
import { countsLine, requirementsPage } from './support/requirements-page.ts'

writeFileSync(
  new URL('../test/REQUIREMENTS.md', import.meta.url),
  requirementsPage(Object.entries(DOCUMENTS)),
)
process.stdout.write(`test/REQUIREMENTS.md: ${countsLine(Object.values(DOCUMENTS))}\n`)
