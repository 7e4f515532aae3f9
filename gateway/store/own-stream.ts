/** The one stream of a gateway; a hosted instance numbers those of its gateways from 2. */
export const OWN_STREAM = 1;
