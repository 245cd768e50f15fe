/** `npm run requirements`: writes `test/REQUIREMENTS.md` from the documents in `test/requirements` and their citations. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { byRequirement, readCitations, readDocuments } from './support/requirements.ts'
import { countsLine, requirementsPage } from './support/requirements-page.ts'

const documents = readDocuments(PROJECT_DIRECTORY)
const tests = byRequirement(readCitations(PROJECT_DIRECTORY).citations)
writeFileSync(join(PROJECT_DIRECTORY, 'test/REQUIREMENTS.md'), requirementsPage(documents, tests))
process.stdout.write(`test/REQUIREMENTS.md: ${countsLine(documents, tests)}\n`)
