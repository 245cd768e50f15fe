/**
 * `npm run faults`: writes what is made from the catalogues: `docs/reference/faults.md` and the table of affected clients
 * of the timeline from `packages/faults/src`, `docs/reference/directory-faults.md` from `packages/publish/src/directories`.
 */
import { writeFileSync } from 'node:fs'
import { AFFECTED_CLIENTS_MODULE, affectedClientsModule } from './support/affected-clients.ts'
import { DIRECTORY_FAULTS_PAGE, directoryFaultsPage } from './support/directory-faults-page.ts'
import { FAULTS_PAGE, faultsPage } from './support/faults-page.ts'

writeFileSync(new URL(`../${FAULTS_PAGE}`, import.meta.url), faultsPage())
writeFileSync(new URL(`../${AFFECTED_CLIENTS_MODULE}`, import.meta.url), affectedClientsModule())
writeFileSync(new URL(`../${DIRECTORY_FAULTS_PAGE}`, import.meta.url), directoryFaultsPage())
