/** Approves a consent request for a person who has just been identified, if the person can grant it. */
import type { Client } from '../clients/clients.ts'
import type { Person } from '../login/login.ts'
import { approve } from './approve.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { offerTo } from './offer.ts'
import { showConsent } from './show-consent.ts'
import type { Transaction } from './transaction.ts'

/**
 * Approves what the page has shown, as far as the person can grant it. A person who may not come in sees
 * the page again; the client receives an error only when the person denies.
 *
 * @param finish completes the response of an approval
 */
export async function approveOrAskAgain(
  server: AuthorizationServer,
  request: Request,
  transaction: Transaction,
  client: Client,
  person: Person,
  finish: (response: Response) => Promise<Response> = async (response) => response,
): Promise<Response> {
  const offer = await offerTo(server, person, transaction.offered ?? transaction.scopes)
  if ('scopes' in offer) {
    return finish(await approve(server, transaction, client, person, offer.scopes))
  }
  const refused = { ...offer, person: undefined, status: 403, selectAccount: true }
  return showConsent(server, request, client, transaction, refused)
}
