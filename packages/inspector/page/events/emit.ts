/** Emits one event by hand, which a server in development allows. */
import type { Json } from '../form/schema.ts'

/** Never rejects. */
export async function emit(
  type: string,
  data: Json,
  subject: string,
): Promise<{ readonly eventId: string } | { readonly problem: string }> {
  try {
    const response = await fetch('/inspect/emit', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type, data, ...(subject !== '' && { subject }) }),
    })
    const { eventId, error } = (await response.json()) as { eventId?: unknown; error?: unknown }
    if (typeof eventId === 'string') return { eventId }
    return {
      problem: typeof error === 'string' ? error : `The server answered ${response.status}.`,
    }
  } catch {
    return { problem: 'The server does not answer. Check that it is running.' }
  }
}
