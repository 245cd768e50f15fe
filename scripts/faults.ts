/** `npm run faults`: writes `docs/reference/faults.md` from the catalogue in `src/faults`. */
import { writeFileSync } from 'node:fs'
import { FAULTS_PAGE, faultsPage } from './support/faults-page.ts'

writeFileSync(new URL(`../${FAULTS_PAGE}`, import.meta.url), faultsPage())
