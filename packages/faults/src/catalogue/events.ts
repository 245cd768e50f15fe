/** Faults of MCP Events: what is declared, the event types, and the three modes in which they reach a client. */
import { WITH_EVENTS } from '../clients.ts'
import { faultGroup } from '../fault.ts'
import { events, openai } from '../sources.ts'
import { EVENT_SUBSCRIPTION } from './event-subscription.ts'

export const EVENTS = faultGroup('degrades', {
  'events-key-missing': {
    meaning: 'Events are declared as an extension alone, which ChatGPT does not read.',
    ...openai('capabilities'),
    fix: 'Send "events": {} in the capabilities of server/discover and of initialize, beside the extension.',
    loses: WITH_EVENTS,
  },
  'events-extension-missing': {
    meaning: 'Events are declared by the member events alone, which is no part of the extension.',
    ...events('capability negotiation'),
    fix: 'Send "extensions": { "io.modelcontextprotocol/events": {} } in the capabilities, beside "events": {}.',
  },
  'events-capability-invalid': {
    meaning: 'The declaration of events is no object, or its listChanged is no boolean.',
    ...events('capability negotiation'),
    fix: 'Send an object: {} without notifications of the list, or { "listChanged": true }.',
  },
  'events-list-failed': {
    meaning: 'Events are declared, and events/list has no result.',
    ...events('events/list'),
    fix: 'Answer events/list with the event types that the caller may subscribe to, or with an empty list.',
    loses: WITH_EVENTS,
  },
  'events-list-invalid': {
    meaning: 'The result of events/list is no list of event types with names of their own.',
    ...events('events/list'),
    fix: 'Send "events" as a list, each type once, with nextCursor on each page but the last.',
    loses: WITH_EVENTS,
  },
  'events-type-invalid': {
    meaning: 'A member of an event type is missing or has the wrong type.',
    ...events('event descriptors'),
    fix: 'Each type has a name, delivery with at least one of "poll", "push" and "webhook", and JSON Schemas of type object as inputSchema and payloadSchema.',
    loses: WITH_EVENTS,
  },
  'events-description-missing': {
    meaning: 'An event type has no description, by which a model chooses it.',
    ...openai('event types'),
    fix: 'Describe what has happened when the event occurs, and what the arguments filter.',
    degrades: WITH_EVENTS,
  },
  'events-refusal-wrong': {
    meaning:
      'A request about events is served that must be refused, or is refused with another error.',
    ...events('errors'),
    fix: 'Refuse it with the error that the message names. NotFound is -32023 (-32011 in the sketch), Unsupported -32026 (-32014), InvalidParams -32602.',
  },
  'events-poll-failed': {
    meaning: 'A type offers poll, and events/poll has no result.',
    ...events('events/poll'),
    fix: 'Answer events/poll with the occurrences since the cursor, or leave "poll" out of delivery.',
  },
  'events-poll-invalid': {
    meaning: 'The result of events/poll does not have all its members.',
    ...events('events/poll'),
    fix: 'Always send events, cursor, truncated, hasMore and nextPollMs. Each event has eventId, name, timestamp with a time zone, and data.',
  },
  'events-poll-replays': {
    meaning: 'events/poll with the cursor null returns events, and null means from now.',
    ...events('cursors'),
    fix: 'Answer a poll without a cursor, or with null, with no events and a fresh cursor.',
  },
  'events-stream-failed': {
    meaning: 'A type offers push, and events/stream opens no event stream.',
    ...events('events/stream'),
    fix: 'Answer events/stream with text/event-stream, or leave "push" out of delivery.',
  },
  'events-stream-not-active': {
    meaning:
      'The first message of events/stream is not notifications/events/active, or it is late.',
    ...events('events/stream'),
    fix: 'Send notifications/events/active with cursor and truncated as soon as the subscription exists, before anything else.',
  },
  'events-stream-message-invalid': {
    meaning: 'A message of events/stream is none of this subscription.',
    ...events('events/stream'),
    fix: 'Send only notifications/events/*, each with the id of the request as io.modelcontextprotocol/subscriptionId in params._meta, and cursor in active, event and heartbeat.',
  },
  'events-stream-silent': {
    meaning: 'events/stream has no heartbeat, so clients take it for broken.',
    ...events('heartbeats'),
    fix: 'Send notifications/events/heartbeat with a cursor at least every 30 seconds. A comment of the event stream is no heartbeat.',
  },
  'events-stream-end-invalid': {
    meaning: 'events/stream ends without the result of its request, or with other members in it.',
    ...events('events/stream'),
    fix: 'End the stream with the result { "resultType": "complete", "_meta": { "io.modelcontextprotocol/subscriptionId": id } }.',
  },
  'events-stream-not-refused': {
    meaning: 'events/stream opens a stream for a request that it refuses.',
    ...events('events/stream'),
    fix: 'Answer a request that is refused with application/json and the JSON-RPC error, and open no stream.',
  },
  ...EVENT_SUBSCRIPTION,
  'events-subscribe-invalid': {
    meaning: 'The result of events/subscribe lacks a member, or a refresh changes the id.',
    ...events('events/subscribe'),
    fix: 'Always send id, refreshBefore, cursor and truncated. Derive the id from principal, URL, name and arguments. refreshBefore is null only where ttlMs was null.',
    loses: WITH_EVENTS,
  },
  'events-subscribe-unchecked': {
    meaning:
      'events/subscribe does not refuse a secret or a URL that it must refuse with InvalidParams.',
    ...events('webhook security'),
    fix: 'Refuse with -32602: no secret, one that is not whsec_ and the base64 of 24 to 64 bytes, and a URL that is not https.',
  },
  'events-callback-private': {
    meaning: 'A subscription makes the server connect to an address that is not on the internet.',
    ...events('webhook security, SSRF'),
    fix: 'Refuse loopback, private and link-local addresses before a connection is made, at events/subscribe and at each delivery, and follow no redirect.',
  },
  'events-callback-unverified': {
    meaning: 'A callback is accepted before it has answered a challenge.',
    ...events('webhook security, endpoint verification'),
    fix: 'Send the verification inside of events/subscribe and compare its echo. A callback of an allowlist of the server needs none.',
  },
  'events-challenge-invalid': {
    meaning: 'The challenge is not what a receiver can verify.',
    ...events('webhook security, endpoint verification'),
    fix: 'Send it as deliveries are sent: POST with JSON, webhook-id msg_verification_…, webhook-timestamp, webhook-signature with the new secret, and X-MCP-Subscription-Id with the id of the result.',
    loses: WITH_EVENTS,
  },
  'events-challenge-unchecked': {
    meaning: 'A callback that answers the challenge with another value is accepted.',
    ...events('webhook security, endpoint verification'),
    fix: 'Compare the echo with the challenge, and refuse with CallbackEndpointError and the reason challenge_failed.',
  },
  'events-delivery-invalid': {
    meaning: 'A delivery is not what a receiver accepts.',
    ...events('webhook delivery'),
    fix: 'Sign webhook-id, webhook-timestamp and the body, joined by dots, with HMAC-SHA-256 and the bytes behind whsec_. webhook-id is the eventId of the body, the timestamp that of the attempt in seconds.',
    loses: WITH_EVENTS,
  },
  'events-unsubscribe-failed': {
    meaning: 'events/unsubscribe has no result for a live subscription.',
    ...events('events/unsubscribe'),
    fix: 'End the subscription of principal, URL, name and arguments, also with a delivery.mode, and answer with a result.',
    degrades: WITH_EVENTS,
  },
  'events-delivery-after-end': {
    meaning: 'Events are delivered after events/unsubscribe was answered.',
    ...events('events/unsubscribe'),
    fix: 'Begin no attempt after the answer, and drop the retries that wait.',
    degrades: WITH_EVENTS,
  },
})
