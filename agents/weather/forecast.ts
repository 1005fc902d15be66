export interface Place {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** Finds a city by name at Open-Meteo, which needs no key. Undefined when there is none. */
export async function findCity(name: string, signal?: AbortSignal): Promise<Place | undefined> {
  const query = new URLSearchParams({ name, count: '1' });
  const { results } = await getJson<{ results?: Place[] }>(
    `https://geocoding-api.open-meteo.com/v1/search?${query}`,
    signal,
  );
  return results?.[0];
}

/** The weather at a place now. */
export async function weatherAt({ name, latitude, longitude }: Place, signal?: AbortSignal): Promise<object> {
  const current = 'temperature_2m,precipitation,wind_speed_10m';
  const query = new URLSearchParams({ latitude: String(latitude), longitude: String(longitude), current });
  const { current: now } = await getJson<{ current: object }>(
    `https://api.open-meteo.com/v1/forecast?${query}`,
    signal,
  );
  return { city: name, ...now };
}

async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(url, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(`The weather service answered ${response.status}.`);
  return (await response.json()) as T;
}
