// The service worker: it is there for notices when no page is open, and keeps no answer of the API.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
