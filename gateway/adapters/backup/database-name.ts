/** Of a gateway, in its data folder. By itself, because the launcher knows no configuration. */
export const DATABASE_NAME = 'farm.db';
