/**
 * `npm run faults`: writes what is made from the catalogue in `src/faults`: `docs/reference/faults.md`, and the
 * table of affected clients of the timeline.
 */
import { writeFileSync } from 'node:fs'
import { AFFECTED_CLIENTS_MODULE, affectedClientsModule } from './support/affected-clients.ts'
import { FAULTS_PAGE, faultsPage } from './support/faults-page.ts'

writeFileSync(new URL(`../${FAULTS_PAGE}`, import.meta.url), faultsPage())
writeFileSync(new URL(`../${AFFECTED_CLIENTS_MODULE}`, import.meta.url), affectedClientsModule())
