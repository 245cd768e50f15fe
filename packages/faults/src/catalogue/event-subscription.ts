/** The fault of events that the timeline finds too: a module of its own, so that the inspector has no other text of them. */
import { WITH_EVENTS } from '../clients.ts'
import { faultGroup } from '../fault.ts'
import { events } from '../sources.ts'

export const EVENT_SUBSCRIPTION = faultGroup('breaks', {
  'events-subscribe-failed': {
    meaning:
      'events/subscribe is refused. ChatGPT shows its person only that the task could not be created.',
    ...events('events/subscribe'),
    fix: 'Correct what the message names: the callback, the authorization or the limit. On a server without authorization there is no principal: add authorization, or leave "webhook" out of delivery.',
    loses: WITH_EVENTS,
  },
})
